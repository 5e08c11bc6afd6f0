/** The projects that `payment-gateway init` writes. */

/** What a project consists of, and the commands that come next. Paths in the package are on the right. */
interface Project {
  /** Folders whose files it gets; a file of a later folder replaces one of the same name. */
  folders: readonly string[];
  /** Other files: each path in the project, and the file or folder that is written there. */
  files: Readonly<Record<string, string>>;
  /** The scripts of its package.json, and what it needs besides our package, if no folder has a package.json. */
  scripts?: Readonly<Record<string, string>>;
  dependencies?: Readonly<Record<string, string>>;
  /** Where it receives events. */
  events?: string;
  /** The next commands, in its folder, while the stack runs. */
  steps: readonly string[];
}

/** Node runs TypeScript by itself from 22.18 on; before that, tsx does. */
function typescriptRunner(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18) ? 'node' : 'npx --yes tsx';
}

/** By language: one program that sells one order. */
export const PROGRAMS = {
  typescript: {
    folders: [],
    files: { 'merchant.mts': 'examples/typescript/merchant.mts', 'tsconfig.json': 'examples/typescript/tsconfig.json' },
    scripts: { start: `${typescriptRunner()} merchant.mts` },
    dependencies: {},
    steps: ['npm install', 'npm start'],
  },
  python: {
    folders: [],
    files: {
      'merchant.py': 'clients/python/examples/merchant.py',
      'requirements.txt': 'clients/python/requirements.txt',
      payment_gateway: 'clients/python/payment_gateway',
      'order.json': 'examples/orders/pix.json',
    },
    steps: [
      'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt',
      '.venv/bin/python merchant.py order.json --wait',
    ],
  },
} as const satisfies Record<string, Project>;

/** Where a shop receives its events. */
const EVENTS = 'http://127.0.0.1:9000/events';

/** On Node: the files that every shop has, and the routes with its framework. */
const onNode = (framework: string, start: string): Project => ({
  folders: ['templates/typescript', `templates/${framework}`],
  files: {},
  events: EVENTS,
  steps: ['npm install', start],
});

/** The folder of a client in a project. No registry has the clients, so they are copied. */
export const CLIENT_FOLDER = 'payment-gateway';

/** In other languages: the shop, and the parts of its client that it is installed with. */
const elsewhere = (language: string, client: readonly string[], steps: readonly string[]): Project => ({
  folders: [`templates/${language}`],
  files: Object.fromEntries(client.map((part) => [`${CLIENT_FOLDER}/${part}`, `clients/${language}/${part}`])),
  events: EVENTS,
  steps,
});

/** By template: the shop of docs/merchants.md. */
export const TEMPLATES = {
  express: onNode('express', 'npm start'),
  fastify: onNode('fastify', 'npm start'),
  next: onNode('next', 'npm run dev'),
  python: elsewhere(
    'python',
    ['LICENSE', 'README.md', 'pyproject.toml', 'payment_gateway'],
    ['python3 -m venv .venv && .venv/bin/pip install -r requirements.txt', '.venv/bin/python shop.py'],
  ),
  go: elsewhere(
    'go',
    ['LICENSE', 'README.md', 'go.mod', 'go.sum', 'payments', 'paymentstest'],
    ['go mod tidy', 'go run .'],
  ),
} as const satisfies Record<string, Project>;

/** What to write: a program of a language, or a template. */
export interface ProjectChoice {
  language: keyof typeof PROGRAMS;
  template?: keyof typeof TEMPLATES;
}

export const projectOf = ({ language, template }: ProjectChoice): Project =>
  template === undefined ? PROGRAMS[language] : TEMPLATES[template];
