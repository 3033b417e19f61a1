import { expect, test } from 'vitest'
import { changeOf, objectOf } from './change-line.ts'

test.each([
  [{ change: 'saved' }, 'saved for the next start'],
  [{ change: 'probed', ok: true }, 'looked at'],
  [{ change: 'tested', tokenId: 'j@pam', ok: false }, 'token j@pam tried: not all of it works'],
  [{ change: 'model_tested', verdict: 'works', model: 'm' }, 'tried: it works'],
  [{ change: 'model_tested', verdict: 'unknown_model', model: 'm' }, 'tried: unknown model'],
  [{ change: 'rehearsal', isRehearsal: true }, 'rehearsal on'],
  [{ change: 'rehearsal', isRehearsal: false }, 'rehearsal off'],
  [{ change: 'renamed' }, 'renamed'],
  [{ change: 'branched', from: 'ses_1' }, 'branched from ses_1'],
  [{ change: 'set' }, 'set'],
  [{ change: 'tier_lost' }, 'tier taken back: its definition changed'],
  [{ change: 'sign_in_wants', scopes: ['read', 'write'] }, 'asks for more rights: read, write'],
  [{ change: 'signed_out', isRevoked: false }, 'signed out, and its token was not revoked there'],
  [{ event: 'opening' }, 'opening'],
  [{ change: 'never_seen_before', to: 'green' }, 'never seen before green'],
  [{ change: 'constructor' }, 'constructor'],
  [{ change: 'toString' }, 'toString'],
  [{ change: 5 }, ''],
  [{}, ''],
])('the change %j', (body, words) => {
  expect(changeOf(body)).toBe(words)
})

test.each([
  [{ title: 'Monday', sessionId: 'ses_1' }, 'Monday'],
  [{ change: 'renamed', title: 'Monday', sessionId: 'ses_1' }, 'ses_1'],
  [{ urls: ['https://a', 'https://b'] }, 'https://a, https://b'],
  [{ provider: 'openai', model: 'qwen3' }, 'openai/qwen3'],
  [{ model: 'qwen3', baseUrl: 'http://gpu/v1' }, 'qwen3 http://gpu/v1'],
  [{ server: 'files', name: 'laptop' }, 'files'],
  [{ node: 'pve' }, 'pve'],
  [{ id: 7 }, ''],
  [
    {
      change: 'limits',
      from: { temperatureC: [80, 90], cpuMinutes: 5 },
      to: { temperatureC: [70, 90], cpuMinutes: 9 },
    },
    'temperature, cpu',
  ],
  [{ change: 'limits', from: null, to: { backupHours: [26, 168] } }, 'backup'],
  [{ change: 'limits', from: { ramRatio: 1 }, to: 'broken' }, ''],
])('the object of %j', (body, words) => {
  expect(objectOf(body)).toBe(words)
})
