import { reportAndExit } from '../exit';
import { runWebhook } from './run';

runWebhook(process.env).catch(reportAndExit);
