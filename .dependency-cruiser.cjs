// Which rooms of `src` each room may import; a room inside of another has its own line. Anything else is forbidden.
const ROOMS = {
  model: '',
  templates: '',
  host: 'model subjects',
  'policy/document': 'model',
  'policy/template': 'model templates',
  'policy/secrets': 'model templates policy/template',
  'policy/data': 'model templates policy/template',
  'policy/facts': 'model templates host resource-type policy/document policy/template',
  'resource-type': 'model templates host policy/template',
  settings: 'model host',
  subjects: 'model templates host resource-type settings policy/document policy/data policy/template',
  'policy/runnable': 'model resource-type policy/secrets policy/template',
  'policy/fetch': 'model host resource-type subjects',
  'policy/waivers': 'model policy/document policy/fetch',
  policy: 'model host templates resource-type subjects',
  engine: 'model templates host resource-type subjects policy runs/schedule',
  report: 'model host',
  plugin: 'model settings subjects policy/facts resource-type report',
  runs: 'model host report policy/document policy/fetch',
  fleet: 'model host subjects report runs policy/document policy/fetch',
  'remote/inventory': 'model templates policy/document policy/data policy/template',
  remote: 'model host engine report/stored policy/fetch',
  testing: 'model host resource-type subjects policy engine',
  cli: 'model host templates resource-type subjects policy engine plugin report runs fleet remote',
}

/** Rooms that may use what only the machine has: files, processes, the network. */
const TOUCH_THE_MACHINE = [
  'host',
  'subjects',
  'policy/fetch',
  'engine/undo',
  'engine/rescue',
  'report/stored',
  'runs',
  'fleet(?!/web/(?!server))',
  'remote',
  'cli(?!/reference)',
]

/** Rooms that use no module of Node at all. */
const PURE = ['model(?!/findings)', 'cli/reference']

/** Whose published interface a subject may ask, where the field does: a firewall asks which sockets are open. */
const ASKED = {
  auditd: 'accounts',
  'crypto-policy': 'sshd',
  files: 'accounts settings',
  firewall: 'network services sockets',
  goss: 'accounts mounts network packages processes services sockets sysctl',
  'kernel-modules': 'mounts',
  mac: 'processes',
  mounts: 'services',
  network: 'kernel-modules',
  pam: 'sshd',
  processes: 'services',
  services: 'sockets',
  settings: 'accounts auditd pam shell-startup sshd sudo',
  'shell-startup': 'accounts pam',
  sockets: 'processes services',
}

/** The one file has the library inside, for plugins, and only the command line knows plugins. */
const MORE = { cli: '|^src/index\\.ts$' }

const rooms = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room}-imports-what-is-below-it`,
  severity: 'error',
  from: { path: `^src/${room}/`, pathNot: nestedIn(room) },
  to: { path: '^src/', pathNot: `^src/(${`${room} ${allowed}`.trim().replaceAll(' ', '|')})/${MORE[room] ?? ''}` },
}))

/** The rooms inside of a room that have a line of their own in the table. */
function nestedIn(room) {
  return Object.keys(ROOMS)
    .filter((other) => other.startsWith(`${room}/`))
    .map((other) => `^src/${other}/`)
}

const asked = Object.entries(ASKED).map(([subject, others]) => ({
  name: `${subject}-asks-few-subjects`,
  severity: 'error',
  from: { path: `^src/subjects/${subject}/` },
  to: {
    path: '^src/subjects/[^/]+/',
    pathNot: `^src/subjects/(${`${subject} shared ${others}`.replaceAll(' ', '|')})/`,
  },
}))

const pure = PURE.map((room) => ({
  name: `${room}-is-pure`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { dependencyTypes: ['core'] },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...rooms,
    ...pure,
    {
      name: 'a-room-is-in-the-table',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: `^src/(${Object.keys(ROOMS).join('|')})/` },
      to: {},
    },
    {
      name: 'the-library-has-no-command-line',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/(cli|runs|fleet|remote|testing)/' },
    },
    ...asked,
    {
      name: 'subjects-are-strangers',
      severity: 'error',
      from: { path: '^src/subjects/([^/]+)/', pathNot: `^src/subjects/(${Object.keys(ASKED).join('|')})/` },
      to: { path: '^src/subjects/[^/]+/', pathNot: '^src/subjects/($1|shared)/' },
    },
    {
      name: 'report-formats-are-strangers',
      severity: 'error',
      from: { path: '^src/report/formats/([^/]+)/' },
      to: { path: '^src/report/formats/', pathNot: '^src/report/formats/$1/' },
    },
    {
      name: 'report-formats-are-known-to-their-list-alone',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/report/(index\\.ts$|formats/)' },
      to: { path: '^src/report/formats/' },
    },
    {
      name: 'commands-are-strangers',
      severity: 'error',
      from: { path: '^src/cli/commands/([^/]+)/' },
      to: { path: '^src/cli/commands/', pathNot: '^src/cli/commands/$1/' },
    },
    {
      name: 'the-machine-is-touched-in-few-rooms',
      severity: 'error',
      from: { pathNot: `^src/(${TOUCH_THE_MACHINE.join('|')})/` },
      to: { dependencyTypes: ['core'], path: '^(fs|fs/promises|child_process|http|https|net|dgram|tls)$' },
    },
    {
      name: 'the-client-of-nats-has-one-room',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/host/nats/' },
      to: { path: 'node_modules/@nats-io/' },
    },
    // A command loads its work when it runs, and that takes the type of what was given.
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '^src/cli/main\\.ts$'] },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
    exclude: { path: '^src/.*/generated/' },
  },
}
