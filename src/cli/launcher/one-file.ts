// What the single executable file runs: the same command line, from what was put into it.
import { dirname, join } from 'node:path'
import process from 'node:process'
import { getRawAsset } from 'node:sea'
import { VERSION } from '../../engine/version.ts'
import { evaluate } from './evaluate.ts'

/** What `npm run package` puts the command line in as, and what V8 has compiled of it. */
const TEXT = 'command.js'
const COMPILED = 'command.cache'

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { command } = evaluate(asset(TEXT).toString('latin1'), {
    filename: join(dirname(process.execPath), TEXT),
    cachedData: compiled(),
    require: load,
  })
  void command.main(args)
}

/** The bytes where they lie in the executable file: they are not copied. */
function asset(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer)
}

function compiled(): Buffer | undefined {
  try {
    return asset(COMPILED)
  } catch {
    return undefined // It was made for a processor that the build could not run, and V8 compiles what it needs.
  }
}

/** Here `require` knows the modules of Node alone, and this file, which V8 compiles, is the one that can import plugins. */
function load(name: string): unknown {
  return name === './dynamic-import.js' ? { dynamicImport: (url: string) => import(url) } : require(name)
}
