// The import directions of the layers: core <- target, template <- resources, facts, data, report <- engine, policy
// <- cli, index. Each rule names what a folder must not reach.
const machine = '^(fs|fs/promises|child_process|http|https|net|dgram|tls)$'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '^src/cli/main\\.ts$'] },
      to: {},
    },
    { name: 'core-is-pure', severity: 'error', from: { path: '^src/core' }, to: { path: '^src/(?!core)' } },
    { name: 'core-has-no-node', severity: 'error', from: { path: '^src/core' }, to: { dependencyTypes: ['core'] } },
    {
      name: 'target-knows-core-only',
      severity: 'error',
      from: { path: '^src/target' },
      to: { path: '^src/(?!core|target)' },
    },
    {
      name: 'template-knows-core-only',
      severity: 'error',
      from: { path: '^src/template' },
      to: { path: '^src/(?!core|template)' },
    },
    {
      name: 'middle-layer-does-not-look-up',
      severity: 'error',
      from: { path: '^src/(resources|facts|data|report)' },
      to: { path: '^src/(engine|policy|cli|index\\.ts)' },
    },
    {
      name: 'findings-know-core-only',
      severity: 'error',
      from: { path: '^src/findings' },
      to: { path: '^src/(?!core|findings)' },
    },
    {
      name: 'reports-know-core-and-findings',
      severity: 'error',
      from: { path: '^src/report' },
      to: { path: '^src/(?!core|findings|report)' },
    },
    {
      name: 'reference-knows-what-types-say',
      severity: 'error',
      from: { path: '^src/reference' },
      to: {
        path: '^src/',
        pathNot: '^src/(core|reference)/|^src/(resources/define|policy/schema-common|report/format)\\.ts$',
      },
    },
    {
      name: 'reference-is-pure',
      severity: 'error',
      from: { path: '^src/reference' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'waivers-know-core-and-how-files-are-read',
      severity: 'error',
      from: { path: '^src/waivers' },
      to: {
        path: '^src/',
        pathNot: '^src/(core|waivers)/|^src/policy/(lines|read-document|text|tree|source/files|source/text-file)\\.ts$',
      },
    },
    {
      name: 'engine-and-waiver-files-are-strangers',
      severity: 'error',
      from: { path: '^src/(engine|policy)' },
      to: { path: '^src/waivers' },
    },
    {
      name: 'resource-types-are-strangers',
      severity: 'error',
      from: { path: '^src/resources/([^/]+)/' },
      to: { path: '^src/resources/([^/]+)/', pathNot: '^src/resources/$1/' },
    },
    {
      name: 'nothing-knows-what-tests-it',
      severity: 'error',
      from: { pathNot: '^src/testing' },
      to: { path: '^src/testing' },
    },
    {
      name: 'library-does-not-know-the-cli',
      severity: 'error',
      from: { pathNot: '^src/cli' },
      to: { path: '^src/cli' },
    },
    {
      name: 'machine-only-in-three-places',
      severity: 'error',
      from: { pathNot: '^src/(target/local|policy/source|cli)' },
      to: { dependencyTypes: ['core'], path: machine },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.json'] },
    exclude: { path: '^src/(policy|cli/stored)/generated' },
  },
}
