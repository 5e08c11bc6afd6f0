// Writes schemas/*.json: the JSON Schema of every input, answer, state, event and failure of the contract, made from its types.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildGenerator, getProgramFromFiles } from 'typescript-json-schema';

/** What crosses languages: docs/contract.md and docs/events.md show them. */
const TYPES = [
  ...['NewPayment', 'AdoptedPayment', 'PaymentData', 'PaymentState', 'PaymentResolution', 'NotificationSignal'],
  ...['LatePaymentRefund', 'AppAttentionState', 'AfterSaleInput', 'AfterSaleState', 'AfterSaleResolution'],
  ...['RefundOrder', 'RefundAnswer', 'CreateSpeiAccountInput', 'CreatedSpeiAccount', 'SpeiAccountCreation'],
  ...[
    'CreationResolution',
    'AccountResolution',
    'SpeiAccountState',
    'SpeiAccountQuantityState',
    'StrayNotificationInput',
  ],
  ...['BankListInput', 'BankListAnswer', 'InstallmentsInput', 'InstallmentsAnswer', 'WalletTokenInput'],
  ...['WalletTokenAnswer', 'EventDeliveryState', 'PaymentEvent', 'AccountEvent', 'SweepEvent', 'GatewayErrorFields'],
  ...['TypedFailure', 'NexusOrder', 'NexusOrderNumber', 'NexusRefund'],
  ...['ReconciliationInput', 'ReconciliationState', 'Difference', 'StuckSweepState'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = {
  ...{ strict: true, target: 'ES2022', module: 'node16', moduleResolution: 'node16', skipLibCheck: true },
  // As tsconfig.json has them: the types of a browser and of tests are no part of the contract, and take longer than it.
  ...{ lib: ['ES2023'], types: ['node'] },
};
const program = getProgramFromFiles([`${root}src/contract/index.ts`], { ...compiler, esModuleInterop: true }, root);
// The generator prints every type of every file that it is given. Ours are enough: the checker, made before, knows the others.
program.getTypeChecker();
const ours = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile);
program.getSourceFiles = () => ours;
const generator = buildGenerator(program, { required: true, ignoreErrors: true, strictNullChecks: true });

const folder = process.argv[2] ?? `${root}schemas`;
mkdirSync(folder, { recursive: true });
for (const type of TYPES) {
  const { definitions = {}, ...schema } = openEnds(generator.getSchemaForSymbol(type));
  writeFileSync(
    `${folder}/${type}.json`,
    `${JSON.stringify({ ...inlined(schema, definitions), title: type }, null, 2)}\n`,
  );
}

/** The schema with what it refers to in the reference's place: each file stands for itself. */
function inlined(schema, definitions) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => inlined(one, definitions));
  const { $ref, ...rest } = schema;
  const meant = $ref === undefined ? {} : definitions[decodeURIComponent($ref.replace('#/definitions/', ''))];
  const entries = Object.entries({ ...meant, ...rest }).map(([name, value]) => [name, inlined(value, definitions)]);
  return Object.fromEntries(entries);
}

/** `'PIX' | (string & …)` takes any text: the known ones are its examples. */
function openEnds(schema) {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(openEnds);
  const { anyOf, ...rest } = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, openEnds(value)]));
  if (!Array.isArray(anyOf)) return { ...rest, ...(anyOf === undefined ? {} : { anyOf }) };
  if (!anyOf.some(({ allOf }) => allOf?.some(({ type }) => type === 'string'))) return { ...rest, anyOf };
  const examples = anyOf.flatMap((one) => one.enum ?? []);
  const isNullable = anyOf.some(({ type }) => type === 'null');
  return { ...rest, type: isNullable ? ['string', 'null'] : 'string', examples };
}
