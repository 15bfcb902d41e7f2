import { VERSION } from '../../../engine/version.ts'
import { PLUGIN_API_VERSION } from '../../../resource-type/brand.ts'

/** Files of a plugin package by path, with one example type: a line in a file. */
export function pluginFiles(name: string, type: string): ReadonlyMap<string, string> {
  return new Map([
    ['package.json', `${JSON.stringify(manifestOf(name, type), null, 2)}\n`],
    ['tsconfig.json', `${JSON.stringify(COMPILER, null, 2)}\n`],
    ['src/index.ts', sourceOf(type)],
    ['test/index.test.ts', TEST],
    ['policy.yaml', policyOf(type)],
    ['.github/workflows/ci.yml', WORKFLOW],
    ['.gitignore', 'node_modules/\ndist/\n'],
  ])
}

function manifestOf(name: string, type: string): object {
  return {
    name: `driftgate-${name}`,
    version: '0.1.0',
    description: `A driftgate plugin: the ${type} resource type`,
    type: 'module',
    main: 'dist/src/index.js',
    files: ['dist/src'],
    scripts: {
      build: 'tsc',
      test: 'tsc && node --test dist/test/index.test.js',
      scan: 'tsc && driftgate scan policy.yaml --plugin ./dist/src/index.js',
    },
    peerDependencies: { driftgate: `^${VERSION}` },
    devDependencies: { '@types/node': '^20.19.0', driftgate: `^${VERSION}`, typescript: '^6.0.0' },
  }
}

const COMPILER = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    rootDir: '.',
    outDir: 'dist',
  },
  include: ['src', 'test'],
}

function sourceOf(type: string): string {
  return `import { definePlugin, defineProperties, defineResource, differences, missing, present } from 'driftgate'

const properties = defineProperties({
  name: { kind: 'text', required: true, nonEmpty: true, summary: 'The line.' },
  ensure: { kind: 'text', oneOf: ['present', 'absent'], default: 'present', summary: 'Whether the file has the line.' },
  file: { kind: 'text', required: true, absolutePath: true, parameter: true, summary: 'The file.' },
})

export const resource = defineResource({
  type: '${type}',
  summary: 'A line of a file.',
  properties,
  drifts: ['ensure'],
  // What --untrusted, --no-commands and targets that do not run allow follows from this: 'files', 'commands', 'network'.
  uses: ['files'],
  examples: [{ title: 'A line', yaml: '${type}:\\n  - umask 027:\\n      file: /etc/profile.d/umask.sh' }],
  // Observing reads and changes nothing. What cannot be read is unknown, never absent.
  observe(target, { name, file }) {
    const text = target.files.readText(file)
    if (text.kind === 'unknown') return text
    return present((text.value ?? '').split('\\n').includes(name))
  },
  // Deciding is pure: it compares, and plans what a fix does.
  decide({ name, ensure, file }, seen) {
    const isThere = seen.kind === 'present' && seen.state
    const fix = { action: ensure, effects: [{ kind: 'change', object: \`\${file}: \${name}\` }] } as const
    if (ensure === 'present') return isThere ? differences([]) : missing({ fix })
    const difference = { property: 'ensure', original: isThere ? 'present' : 'absent', desired: 'absent' }
    return differences([difference], { ensure: { desired: 'absent', observed: difference.original }, fix })
  },
  // Changes go through the remediator, so that driftgate undo takes them back.
  apply: (remediator, { name, file }, action) =>
    remediator.editText(file, (text) => {
      const others = text.split('\\n').filter((line, index, all) => line !== name && (line !== '' || index < all.length - 1))
      return [...others, ...(action === 'present' ? [name] : []), ''].join('\\n')
    }),
})

export const plugin = definePlugin({ apiVersion: ${PLUGIN_API_VERSION}, types: [resource] })
`
}

const TEST = `import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ContractScene, contractTests, unseenDrifts } from 'driftgate/testing'
import { resource } from '../src/index.ts'

function scene(title: string, state: ContractScene['state'], name: string, properties: object = {}): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      const file = join(directory, 'profile')
      writeFileSync(file, '# profile\\numask 027\\n')
      return { name, file, ...properties }
    },
  }
}

const scenes = [
  scene('a line that is there', 'compliant', 'umask 027'),
  scene('a line that is missing', 'fixable', 'umask 077'),
  scene('a line that is left', 'fixable', 'umask 027', { ensure: 'absent' }),
]

for (const { name, run } of contractTests(resource, { scenes })) test(name, run)

test('every difference is in a scene', async () => assert.deepEqual(await unseenDrifts(resource, { scenes }), []))
`

function policyOf(type: string): string {
  return `# yaml-language-server: $schema=./node_modules/driftgate/schemas/policy.schema.json
ccm:
  resources:
    - ${type}:
        - root:x:0:0:root:/root:/bin/bash:
            file: /etc/passwd
`
}

const WORKFLOW = `name: CI
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 20 }
      - run: npm install
      - run: npm test
`
