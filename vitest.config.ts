import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['jarvis-*/src/**/*.test.{ts,tsx}', 'jarvis-*/test/**/*.test.ts'],
    testTimeout: 40_000,
    hookTimeout: 60_000,
    // Two cores, and half of the time goes into waiting for browsers and timers.
    maxWorkers: 3,
    // Loading the same modules for each file took half of the time; none of them may keep anything between files.
    isolate: false,
  },
})
