// Writes docs/runbook.md from the built package.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { runbookPage } = require('../lib/cli/operator/runbook-page.js');

writeFileSync(join(__dirname, '..', 'docs/runbook.md'), runbookPage());
