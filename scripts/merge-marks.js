import { spawnSync } from 'node:child_process'

/** The lines that Git writes where a merge was not resolved. A file that needs such a line indents it. */
const marks = '^(<{7}|[|]{7}|>{7})( |$)|^={7}$'

const { status, stdout } = spawnSync('git', ['grep', '--untracked', '-nIE', marks], { encoding: 'utf8' })
if (status === 0) {
  console.error(`Merge marks:\n${stdout}Resolve the merge in these files.`)
  process.exit(1)
}
// Git ends with 1 where no line matches.
if (status !== 1) console.error('Merge marks were not looked for: this is no Git repository.')
