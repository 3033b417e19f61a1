import { expect, test } from 'vitest'
import { filesOfPatch } from './patch.ts'

const id = '0'.repeat(40)
const raw = [
  `:000000 100644 ${id} ${id} A\0a.txt\0`,
  `:100644 120000 ${id} ${id} T\0b\0`,
  `:100644 100755 ${id} ${id} M\0c\0`,
]
const patch = `\0diff --git a/a.txt b/a.txt
new file mode 100644
--- /dev/null
+++ b/a.txt
@@ -0,0 +1,2 @@
+diff --git a/evil b/evil
+two
\\ No newline at end of file
diff --git a/b b/b
deleted file mode 100644
@@ -1 +0,0 @@
-text
diff --git a/b b/b
new file mode 120000
@@ -0,0 +1 @@
+a.txt
diff --git a/c b/c
old mode 100644
new mode 100755
`

test('each file gets its own lines, whatever they say, and no more than a card holds', () => {
  const files = filesOfPatch(raw.join('') + patch, 'lab', 6)
  expect(files).toEqual([
    {
      path: 'lab/a.txt',
      change: 'added',
      added: 2,
      removed: 0,
      left: 0,
      lines: ['@@ -0,0 +1,2 @@', '+diff --git a/evil b/evil', '+two'],
    },
    {
      path: 'lab/b',
      change: 'changed',
      added: 1,
      removed: 1,
      left: 1,
      note: 'It is a link.',
      mode: '644 → 000',
      lines: ['@@ -1 +0,0 @@', '-text', '@@ -0,0 +1 @@'],
    },
    { path: 'lab/c', change: 'mode', mode: '644 → 755', added: 0, removed: 0, lines: [], left: 0 },
  ])
})
