import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import { defineConfig } from 'vitest/config'
import { ALLOWED_SKIPS } from './test/support/allowed-skips.ts'
import { SkipReporter } from './test/support/skip-reporter.ts'

/** What needs a running NATS server; `npm run test:all` runs it, too. */
const SERVERS = [
  'test/e2e/{agent,agent-killed,nats,register,watch-ccm}.test.ts',
  'test/e2e/fleet-{assigning,evidence,failures,members,orders,rollout,said,send,taken}.test.ts',
  'test/fleet/{assigned,assigning,assignments-reader,backup,believed,connections,full-store,isolation}.test.ts',
  'test/fleet/{large-run,leaving,rotate,send,sent-runs,servers,shares,unheard,viewer-isolation}.test.ts',
  'test/fleet/{evidence/messages,rollout/rollout,rollout/view}.test.ts',
  'test/host/nats/policies.test.ts',
]

/**
 * What boots a Debian, drives a browser, needs a server or a package manager, or is about what root alone may do; what compares
 * with real programs for long; and what packs and installs the whole. `npm run test:all` runs it.
 */
const SYSTEM = [
  'test/hosts/**/*.test.ts',
  'test/artefacts/**/*.test.ts',
  'test/browser/**/*.test.ts',
  'test/compatibility/services.test.ts',
  'test/subjects/packages/{apt,contract,dnf,live/rpm-files,others}.test.ts',
  'test/settings/postgresql/witness.test.ts',
  'test/e2e/{carriers,fleet-enrol-ssh,many-targets-fix,ssh,ssh-commands,sshd-sudo-limits}.test.ts',
  'test/e2e/{power-cut,program-policies,system-policies}.test.ts',
  'test/e2e/{audit-rules,authselect,boot,candidate-checks,firewall,firewall-fix,mounts,pam,sysctl-interfaces}.test.ts',
  'test/e2e/{audit-writes-nothing,plan-and-back,root-*,silent-file-system,undo,unread-facts}.test.ts',
  'test/e2e/{asked-programs,one-file,plugins}.test.ts',
  'test/package/{example-plugins,plugin,templates}.test.ts',
  'test/scripts/{new,prove-subjects}.test.ts',
  'test/cli/inventory-of-ansible.test.ts',
  'test/subjects/certificates/openssl.test.ts',
  'test/subjects/pam/settings/limits.test.ts',
  'test/subjects/{boot/settings/grub-mkconfig,shell-startup/oracle,sshd/sshd,sshd/witness,mounts/live/stored}.test.ts',
  'test/subjects/firewall/rules/real-*.test.ts',
  'test/host/{image/stacks,root/new-accounts}.test.ts',
]

/** Of these, what needs the machine for itself: a hundred hosts at once, a fix that is killed at each of its steps. */
const ALONE = ['test/e2e/{hundred-targets,killed}.test.ts']

/** What runs the built command in processes of its own. */
const E2E = ['test/e2e/**/*.test.ts']

/** What runs the examples of README and the tutorials. */
const DOCS = ['test/docs/examples.test.ts']

/** What runs the examples of the guides; `npm run test:all` runs it, too. */
const GUIDES = ['test/docs/{guide-a-to-f,guide-g-to-z,pipelines}.test.ts']

/** What installs the programs that read reports, and runs them. */
const CONSUMERS = ['test/consumers/**/*.test.ts']

/** Most of the time of a small test file is loading what it tests, so files share what a worker has loaded. */
const SHARED = { isolate: false } as const

/** Where what the tests run in their own process is counted, if not in `coverage` for all that `npm test` runs. */
const COUNTED_IN = process.env['COVERAGE_HERE']

const THRESHOLDS = {
  'src/model/**': { statements: 95, branches: 90 },
  'src/subjects/**/decide.ts': { statements: 100, branches: 100 },
  // The others run in processes of the built command, too; scripts/coverage-of-cli.mjs puts both together.
  'src/!(cli|fleet|remote)/**': { statements: 90 },
}

/** A file for the results in JSON, beside the usual output. */
const RESULTS = process.env['TEST_RESULTS']

/** Whether this run is one of `npm run test:all` on a system where it installs everything that tests need. */
const hasAll = process.env['TEST_ALL'] !== undefined && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')

export default defineConfig({
  test: {
    setupFiles: ['test/support/seed.ts', 'test/support/skips.ts'],
    // Ends what hangs. Nothing is measured by it, and a busy machine may need many times what a quiet one does.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Part of the time of tests is waiting: for starts, servers, deadlines. One more than the cores keeps these busy.
    maxWorkers: availableParallelism() + 1,
    reporters: [
      'default',
      new SkipReporter(hasAll ? ALLOWED_SKIPS : undefined),
      ...(RESULTS === undefined ? [] : [['json', { outputFile: RESULTS }] satisfies [string, object]]),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...SERVERS, ...SYSTEM, ...ALONE, ...CONSUMERS, ...E2E, ...DOCS, ...GUIDES],
          ...SHARED,
        },
      },
      { extends: true, test: { name: 'e2e', include: E2E, exclude: [...SERVERS, ...SYSTEM, ...ALONE], ...SHARED } },
      { extends: true, test: { name: 'docs', include: DOCS, ...SHARED } },
      { extends: true, test: { name: 'guides', include: GUIDES, ...SHARED, sequence: { groupOrder: 1 } } },
      { extends: true, test: { name: 'servers', include: SERVERS, ...SHARED, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: { name: 'system', include: SYSTEM, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'consumers',
          include: CONSUMERS,
          testTimeout: 900_000,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } } },
    ],
    coverage: {
      // COVERAGE_HERE=no counts only what processes of the built command run.
      enabled: process.env['COVERAGE'] !== undefined && COUNTED_IN !== 'no',
      reportsDirectory: COUNTED_IN ?? 'coverage',
      provider: 'v8',
      // scripts/coverage-of-cli.mjs counts what was run, whether or not it was right.
      reportOnFailure: true,
      include: ['src/**/*.ts'],
      // scripts/coverage-of-cli.mjs adds what e2e tests run in processes of the built command.
      exclude: ['src/**/generated/**', 'src/**/*.d.ts', 'src/cli/launcher/**'],
      reporter: ['text-summary', 'json-summary', 'json'],
      thresholds: COUNTED_IN === undefined ? THRESHOLDS : {},
    },
  },
})
