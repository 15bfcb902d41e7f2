// Entry point of the single-file executable: runs the command line from its embedded assets.
import { dirname, join } from 'node:path'
import process from 'node:process'
import { getRawAsset } from 'node:sea'
import { VERSION } from '../../engine/version.ts'
import { evaluate, namesBaseline } from './evaluate.ts'

/** Names of the assets embedded by `npm run package`: the command line and its compiled code. */
const TEXT = 'command.js'
const COMPILED = 'command.cache'
const COMPILED_FOR_BASELINES = 'command.cache.baseline'

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { command } = evaluate(asset(TEXT).toString('latin1'), {
    filename: join(dirname(process.execPath), TEXT),
    cachedData: readCompiled(),
    require: load,
  })
  void command.main(args)
}

/** Bytes of an asset in the executable, without copying. */
function asset(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer)
}

function readCompiled(): Buffer | undefined {
  try {
    return asset(namesBaseline(args) ? COMPILED_FOR_BASELINES : COMPILED)
  } catch {
    return undefined // Missing for architectures that the build could not run; V8 then compiles on demand.
  }
}

/**
 * `require` here only resolves Node's modules; plugins can be imported from this file, because V8 compiles it from
 * source.
 */
function load(name: string): unknown {
  return name === './dynamic-import.js' ? { dynamicImport: (url: string) => import(url) } : require(name)
}
