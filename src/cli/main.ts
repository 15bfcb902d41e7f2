#!/usr/bin/env node
import process from 'node:process'
import { VERSION } from '../engine/version.ts'

const args = process.argv.slice(2)

// Asked for by every wrapper script, so it loads nothing.
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const [{ runCommandLine }, { processIo }, { describeFailure }] = await Promise.all([
    import('./command-line.ts'),
    import('./io.ts'),
    import('./errors.ts'),
  ])
  const io = processIo()
  process.on('uncaughtException', (error) => {
    io.say(describeFailure(error, io.env))
    // oxlint-disable-next-line unicorn/no-process-exit -- what nobody caught has left the process in an unknown state
    process.exit(1)
  })
  process.exitCode = await runCommandLine(args, io)
}
