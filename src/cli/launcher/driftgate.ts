#!/usr/bin/env node
// The file that is installed as `driftgate`. A Node that is too old has to read it to say so: the build refuses syntax
// newer than ES2015 in it, and everything else is loaded behind the check.
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
  // Asked for by every wrapper script, so it loads nothing.
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { loadCommand, readCache }: typeof import('./load.ts') = require('./load.js')
  void loadCommand(readCache()).command.main(args)
}
