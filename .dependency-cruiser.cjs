// Which rooms of `src` each room may import: the picture in CONTRIBUTING as a table. What is not listed is forbidden.
const ROOMS = {
  core: '',
  document: 'core',
  target: 'core',
  nats: 'core target',
  template: 'core',
  secrets: 'core template',
  data: 'core template',
  facts: 'core document target template',
  findings: 'core',
  signing: 'core target',
  report: 'core findings',
  'resource-type': 'core target template',
  surfaces: 'core target',
  goss: 'core document target template data',
  resources: 'core target template resource-type surfaces goss',
  runnable: 'core secrets template resource-type',
  fetch: 'core target resource-type nats',
  waivers: 'core document fetch',
  inventory: 'core document template data',
  plugin: 'core resource-type report',
  undo: 'core target',
  rescue: 'core target schedule',
  remote: 'core target fetch engine stored',
  engine: 'core secrets target undo rescue findings goss resource-type runnable resources fetch',
  policy: 'core document secrets target nats template data facts goss resource-type runnable resources fetch',
  inspect: 'core document secrets target template data resource-type runnable resources policy engine',
  reference: 'core resource-type policy report',
  stored: 'core target findings',
  history: 'core target report stored',
  schedule: 'core target fetch',
  watch: 'core document target findings report stored history',
  fleet: 'core document target nats signing findings report stored history fetch',
  agent: 'core target nats signing stored history watch fleet',
  web: 'core target report fleet',
  evidence: 'core target signing stored fleet',
  testing: 'core target resource-type resources fetch policy engine',
  cli: 'core document secrets target template data inventory findings goss report resource-type resources fetch waivers plugin engine policy inspect reference stored history fleet agent web signing evidence schedule watch undo rescue remote',
}

/** Rooms that may use what only the machine has: files, processes, the network. */
const TOUCH_THE_MACHINE = [
  'target/local',
  'nats',
  'undo',
  'rescue',
  'fetch',
  'stored',
  'history',
  'signing',
  'fleet',
  'agent',
  'web/server',
  'evidence',
  'schedule',
  'watch',
  'remote',
  'cli',
]

/** Rooms that use no module of Node at all. */
const PURE = ['core', 'reference']

/** The one file has the library inside, for plugins, and only the command line knows plugins. */
const MORE = { cli: '|^src/index\\.ts$' }

const rooms = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room}-imports-what-is-below-it`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${`${room} ${allowed}`.trim().replaceAll(' ', '|')})/${MORE[room] ?? ''}` },
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
      to: { path: '^src/(cli|history|fleet|agent|web|signing|evidence|schedule|watch|testing)/' },
    },
    {
      name: 'resource-types-are-strangers',
      severity: 'error',
      from: { path: '^src/resources/([^/]+)/' },
      to: { path: '^src/resources/[^/]+/', pathNot: '^src/resources/($1|shared)/' },
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
      from: { path: '^src/', pathNot: '^src/nats/' },
      to: { path: 'node_modules/@nats-io/' },
    },
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
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
