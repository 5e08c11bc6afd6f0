/** Imported first by everything that needs the SDK's worker, which is not always installed. */
import { requirePackages } from './sdk';

requirePackages('A worker', ['worker']);
