import { expect, test } from 'vitest'
import type { PlannedCall } from '../questions.ts'
import type { Outcome, Seen } from '../seen.ts'
import { quieted } from './quieted.ts'

const list = `3 alerts. 36 checks, looked 10 s ago.
al_7 warning, firing since 2 h ago, node-hot: pve has 81 °C.
al_8 failed, firing since 3 d ago, guest-stopped: pbs is stopped, and it should run.
al_9 warning, firing since 1 h ago, storage-full: tank is 90 % full, the disk of immich grew. (acknowledged by Mira)`

const seen = (text: string): Seen => ({
  all: [],
  of: (_call: PlannedCall) => ({ text, isError: false }) as Outcome,
  text: () => text,
})
const found = (about: string, text = list) => quieted('silence', about, 2).find(seen(text))

test.each([
  ['the alert of pbs', 'al_8'],
  ['the hot alert', 'al_7'],
  ['the disk alert', 'al_9'],
  ['alert al_7', 'al_7'],
])('%s is %s', (about, alert) => {
  expect(found(about)).toMatchObject({ act: { toolName: 'silence_alert', toolInput: { alert, hours: 2 } } })
})

test.each([
  ['the alert', /^Several alerts fit, sir\. Which one\?[\s\S]*al_7[\s\S]*al_8[\s\S]*al_9/],
  ['the backup alert of immich', /^No alert fits these words, sir\. Which one\?[\s\S]*al_9/],
  ['the alert of plex', /^No alert fits these words, sir\. Which one\?[\s\S]*al_7/],
])('asks which one is meant by %s', (about, words) => {
  expect(found(about)).not.toHaveProperty('act')
  expect(found(about)).toMatchObject({ say: expect.stringMatching(words) })
})

test('says that nothing is there to silence', () => {
  expect(found('the alert', '0 alerts. 36 checks, looked 10 s ago.')).toEqual({
    say: 'No alert is firing, sir, so there is nothing to silence.',
  })
})
