import { reportAndExit } from '../process/exit';
import { runWebhook } from './run';

runWebhook(process.env).catch(reportAndExit);
