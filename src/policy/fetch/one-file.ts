import { getAsset, isSea } from 'node:sea'

/** Whether driftgate runs as a single executable file with everything in it, and not from the files of a package. */
export function isOneFile(): boolean {
  return isSea()
}

/** The names of the files in a folder inside the one file. */
export function filesInside(folder: string): readonly string[] {
  return JSON.parse(getAsset(`${folder}/`, 'utf8')) as readonly string[]
}

/** A file inside the one file. Throws an `Error` if absent. */
export function readInside(path: string): Buffer {
  return Buffer.from(getAsset(path))
}
