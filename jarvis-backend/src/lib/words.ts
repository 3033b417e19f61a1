export { firstOf, percent, spanOf } from 'node-kit/words'
