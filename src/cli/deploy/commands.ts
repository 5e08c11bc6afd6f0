/** The commands for versions of the worker, as `payment-gateway deploy --help` lists them. */
import { type Command, Option } from 'commander';
import { examples } from '../help-examples';

export function addDeployCommands(program: Command): void {
  const deploy = program
    .command('deploy')
    .description('versions of the worker: which there are, and how work goes to them')
    .addHelpText('after', examples('deploy status', 'deploy ramp 10', 'deploy promote', 'deploy rollback'));
  const subCommand = (usage: string, description: string, ...lines: string[]) =>
    deploy
      .command(usage)
      .description(description)
      .option('--deployment <name>', 'the Worker Deployment (default: TEMPORAL_DEPLOYMENT_NAME, or the only one)')
      .addOption(new Option('--json', 'print JSON for programs'))
      .addHelpText('after', examples(...lines.map((line) => `deploy ${line}`)));
  const build = () =>
    new Option(
      '--build-id <build>',
      'this version (default: TEMPORAL_WORKER_BUILD_ID unless it is current, the ramped one, or the newest that never had new work)',
    );

  subCommand(
    'status',
    'each version: its state, what is open on it, its gates, and whether it may stop',
    'status',
  ).action(async (options) => (await import('./deploy.js')).status(options));
  subCommand(
    'ramp <percent>',
    'send so much of the work to the new version, and the rest to the current one',
    'ramp 10',
  )
    .addOption(build())
    .action(async (percent, options) => (await import('./deploy.js')).ramp(percent, options));
  subCommand('promote', 'make the new version the current one', 'promote', 'promote --build-id 2026-11-28')
    .addOption(build())
    .action(async (options) => (await import('./deploy.js')).promote(options));
  subCommand(
    'rollback',
    'end a ramp, or go back to the version before; refused where open runs could not go on there',
    'rollback',
  ).action(async (options) => (await import('./deploy.js')).rollback(options));
}
