import process from 'node:process'
import fc from 'fast-check'
import { cases } from './soak.ts'

// Generated cases are the same in every run, so that a failure is the change's own. A seed explores others.
fc.configureGlobal({
  seed: Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1),
  numRuns: cases({ usual: 100, soak: 2_000 }),
})

// Files that tests make have the same modes for every user.
process.umask(0o022)

// In the time zone of the machine, as the processes of driftgate that tests start with an environment of their own.
delete process.env['TZ']
