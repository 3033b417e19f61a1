import { notOffered } from '../areas.ts'
import { benchWords } from '../bench-words.ts'
import { quotedInline } from '../words.ts'
import { type Finding, type Inquiry, notDone, type Reads, read, unread } from './inquiry.ts'

const most = 20

/** Reads a file if only its name is known, and not its folder. Looks for it in the first roots, and asks if several files have the name. */
export function fileFound(name: string): Inquiry {
  const list = read('read_file')
  return {
    find(seen): Reads | Finding {
      const listed = seen.of(list)
      if (listed === undefined) return { reads: [list] }
      if (listed.isOff) return { say: notOffered('read_file') }
      const refused = notDone(listed, quotedInline(name))
      if (refused !== undefined) return { say: refused }
      const roots = [...listed.text.matchAll(/^([\w.-]+): /gm)].flatMap(([, root]) => root ?? []).slice(0, most)
      const looks = roots.map((path) => read('glob_files', { path, pattern: `**/${name}` }))
      const missing = unread(seen, looks)
      if (missing.length > 0) return { reads: missing }
      const texts = looks.flatMap((look) => seen.text(look) ?? [])
      const paths = texts.flatMap((text) =>
        [...text.matchAll(/^(.+), [^,\n]+, [^,\n]+$/gm)].flatMap(([, at]) => at ?? []),
      )
      const [path] = paths
      if (path === undefined) {
        const isWhole = texts.length === looks.length && !texts.some((text) => text.includes('not all were looked at'))
        const where = isWhole ? '' : ' I could not look everywhere.'
        return {
          say: `I find no ${quotedInline(name)} in ${roots.join(', ')}, sir.${where} Say “open” and its folder and name, such as ${quotedInline(`${roots[0] ?? 'session'}/${name}`)}.`,
        }
      }
      if (paths.length > 1)
        return {
          say: `${paths.length} files are called so, sir. Say “open” and one of them:\n\n${paths
            .slice(0, most)
            .map((at) => `- ${quotedInline(at)}`)
            .join('\n')}`,
        }
      const open = read('read_file', { path })
      const opened = seen.of(open)
      if (opened === undefined) return { reads: [open] }
      return { say: notDone(opened, quotedInline(path)) ?? benchWords(opened) }
    },
  }
}
