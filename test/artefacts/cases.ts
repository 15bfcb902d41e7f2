import { gzipSync } from 'node:zlib'
import { markerPlugin } from '../support/plugin.ts'
import { tarBytes } from '../support/tar-bytes.ts'
import { zipBytes } from '../support/zip-bytes.ts'

/** A command line over a few files, and what the documents say that it comes to. */
export interface Case {
  readonly name: string
  /** By path; `directory` is where the program sees them, `server` a web server with `ARCHIVES`. */
  readonly files?: (directory: string, server: string) => Readonly<Record<string, string>>
  /** One after another, each in the directory of the files, which `{}` stands for. */
  readonly runs: readonly (readonly [args: readonly string[], code: number, output?: RegExp])[]
}

const OWN = 'ensure: present, owner: root, group: root, mode: "0644"'

/** What the web server has. */
export const ARCHIVES: Readonly<Record<string, Buffer>> = {
  '/site.zip': zipBytes([{ name: 'site/index.html', content: 'zip\n', mode: 0o100644 }]),
  '/site.tar.gz': gzipSync(tarBytes([{ name: 'site/index.html', content: 'tar\n' }])),
}

function archivePolicy(directory: string, server: string, ending: string): string {
  const unpacked = `extract_parent: ${directory}/out, creates: ${directory}/out/site`
  return `ccm:
  resources:
    - file: [{ ${directory}/out: { ensure: directory, owner: root, group: root, mode: "0755" } }]
    - archive: [{ ${directory}/site.${ending}: { ensure: present, url: "${server}/site.${ending}", owner: root, group: root, ${unpacked} } }]
`
}

const ABSENT = 'ccm: { resources: [{ file: [{ /nowhere/at/all: { ensure: absent } }] }] }\n'
const MISSING = `ccm: { resources: [{ file: [{ /nowhere/at/all: { ${OWN} } }] }] }\n`

const FORMATS =
  'text plan json junit sarif sarif-github gitlab github markdown tap prometheus hdf oscal ndjson html'.split(' ')

/** Each asks for something that is loaded late: a package, a language, a format, another process. */
export const CASES: readonly Case[] = [
  { name: 'version', runs: [[['--version'], 0, /^\d+\.\d+\.\d+\n$/]] },
  {
    name: 'help of every command',
    runs: [
      [['--help'], 0, /scan <policies/],
      [['scan', '--help'], 0, /--fail-on/],
    ],
  },
  { name: 'completion', runs: [[['completion', 'bash'], 0, /complete /]] },
  {
    name: 'types and reference',
    runs: [
      [['types'], 0, /^file/m],
      [['docs', 'archive'], 0, /checksum/],
    ],
  },
  { name: 'schema', runs: [[['schema'], 0, /"\$schema"/]] },
  {
    name: 'policies that ship',
    runs: [
      [['policies'], 0, /@cis-debian-12/],
      [['validate', '@linux', '@ssh', '@nginx', '@cis-debian-12'], 0, /4 policies valid/],
    ],
  },
  {
    name: 'a regular expression as an acceptance',
    files: (directory) => ({
      'p.yaml': `ccm: { resources: [{ file: [{ ${directory}/a: { ensure: present, owner: root, group: root, mode: { at_most: "0644" }, content: { matches: 'x+y\\n' } } }] }] }\n`,
      a: 'xxy\n',
    }),
    runs: [
      [['validate', 'p.yaml'], 0],
      [['scan', 'p.yaml'], 0, /1 compliant/],
    ],
  },
  {
    name: 'a regular expression in an expression',
    files: () => ({
      'p.yaml': `data: { name: web01 }
ccm: { resources: [{ file: [{ /nowhere/at/all: { ensure: absent, control: { if: 'Data.name matches "^db[0-9]+$"' } } }] }] }\n`,
    }),
    runs: [
      [['scan', 'p.yaml'], 5, /1 not applicable/],
      [['eval', '"web01" matches "^web[0-9]+$"'], 0, /^true\n$/],
    ],
  },
  {
    name: 'a policy of others, in a process with limits',
    files: () => ({ 'p.yaml': ABSENT }),
    runs: [[['scan', 'p.yaml', '--untrusted'], 0, /1 compliant/]],
  },
  ...['jet', 'go'].map((engine) => ({
    name: `a scaffold of ${engine}`,
    files: (directory: string) => ({
      'templates/motd': engine === 'go' ? '{{ regexReplaceAll "a+" .data.name "b" }}\n' : '[[ data.name ]]\n',
      'p.yaml': `data: { name: haaat }
ccm: { resources: [{ scaffold: [{ ${directory}/made: { ensure: present, source: templates, engine: ${engine} } }] }] }\n`,
    }),
    runs: [
      [['scan', 'p.yaml'], 2],
      [['scan', 'p.yaml', '--fix'], 0, /1 fixed/],
      [['scan', 'p.yaml'], 0],
      [['undo', '--latest'], 0],
      [['scan', 'p.yaml'], 2],
    ] as const,
  })),
  ...['zip', 'tar.gz'].map((ending) => ({
    name: `an archive as ${ending}`,
    files: (directory: string, server: string) => ({ 'p.yaml': archivePolicy(directory, server, ending) }),
    runs: [
      [['scan', 'p.yaml'], 2],
      [['scan', 'p.yaml', '--fix'], 0, /2 fixed/],
      [['scan', 'p.yaml'], 0, /2 compliant/],
    ] as const,
  })),
  {
    name: 'every report format',
    files: () => ({ 'p.yaml': MISSING }),
    runs: [
      [['scan', 'p.yaml', ...FORMATS.flatMap((format) => ['--report', `${format}=out/${format}`])], 2],
      [['report', 'junit', 'out/json'], 0, /<testsuites/],
      [['compare', 'out/json', 'out/json'], 0],
    ],
  },
  {
    name: 'waivers',
    files: () => ({
      'p.yaml': MISSING,
      'w.yaml':
        'waivers: [{ resource: file#/nowhere/at/all, id: w-1, reason: none, approver: ops, expires: 2999-01-01 }]\n',
    }),
    runs: [[['scan', 'p.yaml', '--waivers', 'w.yaml'], 0, /1 waived/]],
  },
  {
    name: 'a file of Goss',
    files: (directory) => ({
      a: 'xxy\n',
      'goss.yaml': `file: { ${directory}/a: { exists: true, contents: ["/x+y/"] } }\n`,
    }),
    runs: [
      [['scan', 'goss.yaml'], 0, /1 compliant/],
      [['import', 'goss', 'goss.yaml'], 0, /resources:/],
    ],
  },
  {
    name: 'a plugin',
    files: (directory) => ({
      'marker.mjs': markerPlugin(),
      'p.yaml': `ccm: { resources: [{ demo.marker: [{ ${directory}/marker: {} }] }] }\n`,
    }),
    runs: [
      [['scan', 'p.yaml', '--plugin', './marker.mjs'], 2],
      [['scan', 'p.yaml', '--plugin', './marker.mjs', '--fix'], 0, /1 fixed/],
    ],
  },
  {
    name: 'a file is fixed by a plan and taken back',
    files: (directory) => ({
      'p.yaml': `ccm: { resources: [{ file: [{ ${directory}/motd: { ${OWN}, content: "new\\n" } }] }] }\n`,
      motd: 'old\n',
    }),
    runs: [
      [['scan', 'p.yaml', '--save-plan', 'plan.json'], 2],
      [['show', 'plan.json'], 0, /motd/],
      [['scan', 'p.yaml', '--fix', '--plan', 'plan.json'], 0, /1 fixed/],
      [['undo', '--latest'], 0],
      [['scan', 'p.yaml'], 2],
    ],
  },
  {
    name: 'the history, and a schedule',
    files: () => ({ 'p.yaml': ABSENT }),
    runs: [
      [['scan', 'p.yaml', '--history', 'runs'], 0],
      [['history', '--history', 'runs'], 0, /compliant|100/],
      [['schedule', 'show', 'p.yaml', '--on-calendar', 'daily', '--scheduler', 'cron'], 0, /scan/],
    ],
  },
  {
    name: 'a root directory as the target',
    files: () => ({
      'p.yaml': 'ccm: { resources: [{ file: [{ /etc/motd: { ensure: absent } }] }] }\n',
      'disk/etc/motd': '',
    }),
    runs: [[['scan', 'p.yaml', '--target', 'root:disk'], 2, /motd/]],
  },
  {
    name: 'a policy in NATS, of a server that does not listen',
    files: () => ({ 'context.json': '{"url": "nats://127.0.0.1:1"}' }),
    runs: [[['scan', 'obj://BUCKET/policy.tgz', '--context', '{}/context.json'], 1, /127\.0\.0\.1:1/]],
  },
]
