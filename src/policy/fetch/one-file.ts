import { getAsset, isSea } from 'node:sea'

/** Whether driftgate runs as a single executable with embedded files. */
export function isOneFile(): boolean {
  return isSea()
}

/** Names of the embedded files in a directory. */
export function filesInside(folder: string): readonly string[] {
  return JSON.parse(getAsset(`${folder}/`, 'utf8')) as readonly string[]
}

/** An embedded file. Throws an `Error` if it does not exist. */
export function readInside(path: string): Buffer {
  return Buffer.from(getAsset(path))
}
