/** The last step of the build: bundles the workflows for the workers that this package starts. Takes the folder of the build. */
const { resolve } = require('node:path');

const { buildBundles } = require(resolve(process.argv[2] ?? 'lib', 'temporal/workflow-bundle'));
buildBundles();
