/** Temporal's client reads files of its own: it is loaded as it is, and not bundled. */
export default { serverExternalPackages: ['temporal-payment-gateway', '@temporalio/client'] };
