import process from 'node:process'
import fc from 'fast-check'

// Generated cases are the same in every run, so that a failure is the change's own. A seed explores others.
fc.configureGlobal({ seed: Number(process.env['DRIFTGATE_TEST_SEED'] ?? 1) })
