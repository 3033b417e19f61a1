export { createWaker } from './waker.ts'
