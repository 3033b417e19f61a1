import { z } from 'zod'

/** A name in git, case-sensitive. It never begins with a hyphen, so it cannot be taken for an option. @see git-check-ref-format(1) */
const refForm = /^(?!-)(?!.*(?:\.\.|\/\/|@\{|\.lock(?:\/|$)|\/\.))[\w][\w./+@-]{0,199}(?<![./])$/

export const BranchName = z.string().regex(refForm, 'must be the name of a branch')

/** A commit, branch or tag, with `~2` or `^` after it, or two of them with `..` between. */
export const Revision = z
  .string()
  .max(300)
  .refine((text) => {
    const [first = '', ...others] = text.split(/\.{2,3}/)
    return others.length <= 1 && [first, ...others].every(isOne)
  }, 'must be a commit, a branch or a tag, such as main, HEAD~2 or v1.2..main')
const isOne = (text: string) => refForm.test(text.replace(/(?:[~^]\d{0,4}){0,8}$/, ''))

/** A path within the repository. It is not an option, has no pathspec magic, and does not lead out. */
export const RepoPath = z
  .string()
  .min(1)
  .max(1_000)
  .refine(
    (path) =>
      !path.startsWith('/') &&
      !path.includes('\0') &&
      path.split('/').every((part) => part !== '..' && part.toLowerCase() !== '.git'),
    'must be a path within the repository, without .. and outside of .git',
  )

/** The place of an https remote; undefined for all other addresses: ssh, git, file, ext, and addresses with a user name or a password. */
export function placeOfRemote(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, username, password, hostname, port } = new URL(url)
  if (protocol !== 'https:' || username !== '' || password !== '') return undefined
  return `${hostname}:${port === '' ? '443' : port}`
}
