import process from 'node:process'
import { localSource, type PolicySource } from './files.ts'

/** The operator's own files, and beside them policies that are texts. */
export function withTexts(texts: ReadonlyMap<string, string>): PolicySource {
  return {
    ...localSource,
    list: async (source) => (texts.has(source) ? [source] : localSource.list(source)),
    async read(file) {
      const text = texts.get(file)
      if (text === undefined) return localSource.read(file)
      return { file, bytes: Buffer.from(text), workingDirectory: process.cwd() }
    },
  }
}
