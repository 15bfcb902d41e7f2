// One entry per language: the module with its public functions and how to run one of its recorded cases.
import { gjson } from './gjson.mjs'

export const engines = [gjson]
