// Writes docs/settings.md from the settings of the built package.
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { settingsPage } = require('../lib/process/settings/page');

writeFileSync(join(__dirname, '../docs/settings.md'), settingsPage());
