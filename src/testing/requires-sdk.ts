/** Imported first: a simulated Temporal is made of the SDK's own worker and test tools, which are not always installed. */
import { requirePackages } from '../temporal/sdk';

requirePackages('temporal-payment-gateway/testing', ['worker', 'testing']);
