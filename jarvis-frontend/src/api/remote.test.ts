import { expect, test } from 'vitest'
import { Remote } from './remote.ts'

function server() {
  const answers: ((text: string) => void)[] = []
  const remote = new Remote(() => new Promise<string>((resolve) => answers.push(resolve)))
  const answer = async (text: string) => {
    answers.shift()?.(text)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { remote, answers, answer }
}

test('it is read on first use, not before', async () => {
  const { remote, answers, answer } = server()
  remote.renew()
  expect(answers).toHaveLength(0)
  remote.want()
  remote.want()
  expect(answers).toHaveLength(1)
  await answer('a')
  expect(remote.value.get()).toBe('a')
})

test('a change while it is read is read after it', async () => {
  const { remote, answers, answer } = server()
  remote.want()
  remote.renew()
  remote.renew()
  expect(answers).toHaveLength(1)
  await answer('old')
  expect(answers).toHaveLength(1)
  await answer('new')
  expect(remote.value.get()).toBe('new')
  expect(answers).toHaveLength(0)
})

test('an answer for one who left is dropped', async () => {
  const { remote, answer } = server()
  remote.want()
  remote.forget()
  await answer('theirs')
  expect(remote.value.get()).toBeUndefined()
})
