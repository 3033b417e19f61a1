import { expect, test } from 'vitest'
import { commonWords } from './common-words.ts'
import { passwordProblem } from './password-rules.ts'

const problem = (password: string, own: string[] = ['mira', 'nas.lan']) => passwordProblem(password, own)

/** From published lists of what was chosen most. */
const published =
  `password 12345678 123456789 1234567890 qwertyuiop iloveyou baseball football sunshine princess superman 1qaz2wsx
  password1 passw0rd p@ssw0rd P@ssw0rd! Password123 password123 trustno1 starwars whatever computer michelle jennifer corvette
  internet asdfghjkl asdfasdf 11111111 00000000 88888888 12341234 123123123 987654321 87654321 qwerty123 qwerty12 1q2w3e4r q1w2e3r4
  1q2w3e4r5t zaq12wsx !QAZ2wsx qazwsxedc abcd1234 abc12345 a1b2c3d4 aa123456 asdf1234 qwer1234 1234qwer letmein1 welcome1 Welcome123 admin123
  administrator changeme master123 monkey123 dragon123 shadow12 michael1 charlie1 jordan23 liverpool chelsea1 arsenal1 barcelona
  manchester metallica slipknot nirvana1 greenday blink182 pokemon1 spiderman batman123 superstar butterfly chocolate strawberry
  elizabeth christopher alexander benjamin victoria samantha stephanie nicholas danielle victoria1 mercedes ferrari1 porsche911
  mustang1 harley01 yankees1 cowboys1 steelers lakers24 rangers1 blahblah lollipop hellokitty babygirl sweetheart iloveyou2 lovelove
  iloveyou! ILoveYou 1l0v3y0u fuckyou1 bullshit asshole1 bigdaddy mypassword letmein123 summer2024 Winter2025! January01 monday123
  19851985 01011990 20001231 31.12.1999 google123 facebook1 samsung1 windows10 minecraft minecraft1 naruto123 pass1234 test1234 testtest
  hallo123 passwort passwort1 schalke04 qwertz123 azertyuiop 147258369 159357159 741852963 mnbvcxz1 zxcvbnm1 zxcvbnm123 qweasdzxc
  66666666 aaaaaaaa abcabcabc xxxxxxxx pass-word i.love.you`.split(/\s+/)

test.each(published)('%s is refused', (password) => {
  expect(problem(password)).toMatch(/tried first/)
})

test('more than 3,000 of at least eight characters are refused that the commonest words make', () => {
  const endings = ['', '1', '12', '123', '1234', '!', '01', '2024', '69', '99']
  const made = [...commonWords].flatMap((word) =>
    endings.flatMap((ending) => [word + ending, word.charAt(0).toUpperCase() + word.slice(1) + ending]),
  )
  const long = [...new Set(made)].filter((password) => password.length >= 8)
  expect(long.length).toBeGreaterThan(15_000)
  expect(long.filter((password) => problem(password) === undefined)).toEqual([])
})

test.each([
  ['Jarvis2026', []],
  ['j4rv1s-proxmox', []],
  ['proxmox!!1234', []],
  ['mira1987', []],
  ['m.i.r.a.1987', []],
  ['Nas-Lan-42', []],
  ['pve-cellar-01', ['pve-cellar.example.org']],
])('%s is little more than a name that belongs here', (password, own) => {
  expect(problem(password, ['mira', 'nas.lan', ...own])).toMatch(/name that belongs here/)
})

test.each([
  'correct-horse-battery',
  'plum-orchard-seven',
  'a-better-password',
  'x7Kq!m2R',
  'vuhcegxo',
  '83746152',
  'tzkqvbnr',
  'Überraschung im Kühlschrank',
  'jarvis lent me his yellow umbrella',
  'паровоз-на-луне',
  '🦊🦉🐌🌵🎻🧦🪁🚲',
  'qwerty but then it went elsewhere',
])('%s is taken', (password) => {
  expect(problem(password)).toBeUndefined()
})

test('seven characters are too few, counted as people count them', () => {
  expect(problem('x7Kq!m2')).toBe('A password has at least 8 characters.')
  expect(problem('🦊🦉🐌🌵🎻🧦🪁')).toBe('A password has at least 8 characters.')
})
