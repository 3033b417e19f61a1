import { type Setting, sections } from '../jarvis-backend/src/config/setting.ts'

type Documented = Extract<Setting, { section: string }>
const documented = (all: readonly Setting[]) =>
  all.filter((setting): setting is Documented => setting.section !== undefined)

const cell = (text: string) => text.replaceAll('|', '\\|')

/**
 * Puts a table of settings under each heading of `docs/configure.md` that names a section, in place of the first table there.
 * @throws Error if a section has no table
 */
export function withSettings(page: string, all: readonly Setting[]): string {
  return sections.reduce((text, section) => {
    const rows = documented(all)
      .filter((setting) => setting.section === section)
      .map(({ name, default: usual, about }) => `| \`${name}\` | ${cell(usual)} | ${cell(about)} |`)
    const table = ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
    const found = new RegExp(`(^## ${section}\\n(?:(?!\\|).*\\n)*)(?:\\|.*\\n)+`, 'm')
    if (!found.test(text)) throw new Error(`docs/configure.md has no table under ${section}.`)
    return text.replace(found, (_whole, before: string) => `${before}${table}\n`)
  }, page)
}

const lineWidth = 120
const introduction = `# Copy to .env and uncomment what you need. Nothing is needed for a first look. docs/configure.md says more.
# What the environment sets counts before this file, and this file before what the dashboard saved (settings.env in the
# data dir). The PVE_* count together: one of them here, and none of the saved ones does.
# Made by: npm run reference`

/** `.env.example`: every setting, commented out, below its meaning. */
export function exampleOf(all: readonly Setting[]): string {
  const parts = sections.map((section) => {
    const rows = documented(all).filter((setting) => setting.section === section)
    return [`# ${section}`, ...rows.map(({ name, example, ...row }) => `${meaning(row)}\n#${name}=${example}`)].join(
      '\n\n',
    )
  })
  return `${[introduction, ...parts].join('\n\n')}\n`
}

function meaning({ default: usual, about }: Pick<Documented, 'default' | 'about'>): string {
  const text = plain(about).replace(/^\p{Ll}/u, (first) => (about.startsWith('`') ? first : first.toUpperCase()))
  const whole = usual === 'none' ? `${text}.` : `${text}. Default: ${plain(usual)}.`
  const lines = ['#']
  for (const word of whole.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > lineWidth) lines.push('#')
    lines.push(`${lines.pop()} ${word}`)
  }
  return lines.join('\n')
}

/** Markdown without its marks. */
const plain = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
