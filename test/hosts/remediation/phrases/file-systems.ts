import { listed, type Phrase } from '../scripts.ts'

export const FILE_SYSTEMS_PHRASES: readonly Phrase[] = [
  [
    /^Add (?<option>\w+) to the options of (?<path>\S+) in fstab or its mount unit and remount$/,
    ({ option, path }) => [`in_fstab ${path} ${option}`],
  ],
  [
    /^(?:Create a file system \(or mount a tmpfs\)|Mount a tmpfs with tmp\.mount or a line in fstab)(?: and add it to fstab)?(?: with the options (?<options>.+))?$/,
    ({ options }, { resources }) => [
      `new_file_system ${resources[0]?.name} ${listed(options || 'defaults').replaceAll(' ', ',')}`,
    ],
  ],
]
