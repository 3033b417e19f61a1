import { expect, test } from 'vitest'
import { BranchName, placeOfRemote, RepoPath, Revision } from './words.ts'

const taken = (shape: { safeParse(value: unknown): { success: boolean } }, text: string) =>
  shape.safeParse(text).success

test.each(['main', 'feature/a-b', 'v1.2.3', 'HEAD', '1a2b3c4d', 'user@host', 'UPPER', 'a+b'])(
  '%j is a branch',
  (name) => {
    expect([taken(BranchName, name), taken(Revision, name)]).toEqual([true, true])
  },
)
test.each([
  ...[
    '-x',
    '--upload-pack=touch /tmp/x',
    '',
    'a..b',
    'a b',
    'a//b',
    'a.lock',
    'a/',
    'a.',
    '.a',
    'a/.b',
    'a@{1}',
    'a:b',
    'a\nb',
    'a\0b',
    'ä',
  ],
  ...['$(x)', 'a;b', 'refs/heads/-x^{/}', 'a\\b', 'a?b', 'a*b', 'a[b'],
])('%j is no branch', (name) => {
  expect(taken(BranchName, name)).toBe(false)
})
test.each(['HEAD~2', 'HEAD^', 'main^2~3', 'a..b', 'a...b', 'v1..HEAD~1'])('%j is a revision', (text) => {
  expect(taken(Revision, text)).toBe(true)
})
test.each(['..', 'a..', '..b', 'a..b..c', '--all', 'a..--output=x', '^main', ':/text', 'HEAD:file', 'HEAD^{/x}', '@'])(
  '%j is no revision',
  (text) => {
    expect(taken(Revision, text)).toBe(false)
  },
)
test.each(['a', 'a/b.txt', 'weird name', ':(top)x', '*.ts', '-x'])('%j is a path', (path) => {
  expect(taken(RepoPath, path)).toBe(true)
})
test.each(['', '/etc/passwd', '../x', 'a/../../x', '.git/config', 'sub/.GIT/hooks/x', 'a\0b'])(
  '%j is no path',
  (path) => {
    expect(taken(RepoPath, path)).toBe(false)
  },
)
test.each<[string, string | undefined]>([
  ['https://example.org/a.git', 'example.org:443'],
  ['https://git.example.org:3000/a', 'git.example.org:3000'],
  ...[
    'git@example.org:a.git',
    'ssh://example.org/a',
    'http://example.org/a',
    'file:///srv/a',
    '/srv/a',
    'ext::sh -c x',
    'git://example.org/a',
  ].map((url): [string, undefined] => [url, undefined]),
  ['https://user:secret@example.org/a', undefined],
])('the remote %s leads to %s', (url, place) => {
  expect(placeOfRemote(url)).toBe(place)
})
