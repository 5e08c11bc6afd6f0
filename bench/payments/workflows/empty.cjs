/** What Temporal's SDK takes for itself in every bundle. */
exports.pay = async () => undefined;
