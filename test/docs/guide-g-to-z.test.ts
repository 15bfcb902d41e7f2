import { DOCUMENTS } from './documents.ts'
import { testDocuments } from './test-documents.ts'

// Half of the guide: files run beside each other, and the tests of a file one after the other.
testDocuments(DOCUMENTS.filter((path) => path.startsWith('docs/guide/') && path >= 'docs/guide/g'))
