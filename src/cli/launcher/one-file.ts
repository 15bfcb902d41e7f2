// Entry point of the single-file executable: runs the command line from its embedded assets.
import { dirname, join } from 'node:path'
import process from 'node:process'
import { getRawAsset } from 'node:sea'
import { VERSION } from '../../engine/version.ts'
import { type Bundle, type BundledText, loadBundled, namesBaseline } from './evaluate.ts'

const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.on('error', () => undefined)
  process.stdout.write(`${VERSION}\n`)
} else {
  const { command } = loadBundled(readBundle, load)
  void command.main(args)
}

/** Bytes of an asset in the executable, without copying. */
function asset(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer)
}

/** A text of the command line that `npm run package` has put in, and its compiled code. */
function readBundle(bundle: Bundle): BundledText {
  const text = `${bundle}.js`
  const compiled = `${bundle}.cache${namesBaseline(args) ? '.baseline' : ''}`
  return {
    text: asset(text).toString('latin1'),
    filename: join(dirname(process.execPath), text),
    cachedData: readCompiled(compiled),
  }
}

function readCompiled(name: string): Buffer | undefined {
  try {
    return asset(name)
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
