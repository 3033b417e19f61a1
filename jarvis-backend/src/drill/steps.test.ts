import { expect, test } from 'vitest'
import { nextStep, type Step, type StepEvent, steps } from './steps.ts'

const events: StepEvent[] = ['done', 'broken', 'restarted']

test('from every step the way to the end leads through cleaning, whatever happens', () => {
  for (const step of steps.filter((one) => one !== 'ended')) {
    for (const event of events) {
      const next = nextStep(step, event)
      expect(next === 'ended', `${step}, ${event}`).toBe(step === 'cleaning' && event === 'done')
      if (event !== 'done') expect(next, `${step}, ${event}`).toBe('cleaning')
    }
  }
})

test('an ended drill goes nowhere', () => {
  for (const event of events) expect(() => nextStep('ended' as Step, event)).toThrow('cannot be')
})
