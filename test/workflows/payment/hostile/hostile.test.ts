/** Random stories of one payment, each held against the promises. `npm run hostile` plays 20,000 new ones. */
import { testRandomStories } from '../../hostile/random-stories';
import { play, stories } from './stories';

testRandomStories({ title: 'every promise is kept', seed: 20261121, stories: stories(), play });
