#!/usr/bin/env node
// The file installed as `driftgate`. An outdated Node must be able to parse it to print the error: the build rejects
// syntax newer than ES2015 here, and everything else is loaded after the check.
import { VERSION } from '../../engine/version.ts'

const NEEDED_MAJOR = 20
const NEEDED_MINOR = 19

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const args = process.argv.slice(2)

if (major < NEEDED_MAJOR || (major === NEEDED_MAJOR && minor < NEEDED_MINOR)) {
  process.stderr.write(
    `driftgate needs Node ${NEEDED_MAJOR}.${NEEDED_MINOR} or later, and ${process.execPath} is Node ${process.versions.node}: ` +
      'install a newer one, for example from https://nodejs.org, and put it first in PATH\n',
  )
  process.exitCode = 1
} else if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Wrapper scripts often ask for the version, so this loads nothing.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { loadCommand }: typeof import('./load.ts') = require('./load.js')
  void loadCommand(args).command.main(args)
}
