/** Random stories of virtual accounts, each held against the promises. `npm run hostile:accounts` plays 5,000 new ones. */
import { testRandomStories } from '../../hostile/random-stories';
import { play, stories } from './stories';

testRandomStories({ title: 'every promise of accounts is kept', seed: 20261123, stories: stories(), play });
