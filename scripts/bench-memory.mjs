// Loaded into a process whose memory is measured: writes the most it held, in KiB, when it ends.
import { writeFileSync } from 'node:fs'
import process from 'node:process'

process.on('exit', () => writeFileSync(process.env.BENCH_MEMORY_FILE, String(process.resourceUsage().maxRSS)))
