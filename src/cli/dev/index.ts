/**
 * cli/dev/: `payment-gateway dev`: a whole stack on this machine. It imports what `cli/` may. temporal/ holds the development
 * server, and knows nothing of payments.
 */
export { dev } from './stack';
