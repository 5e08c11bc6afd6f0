/** Random stories of what follows one sale, each held against the promises. `npm run hostile:refunds` plays 20,000 new ones. */
import { testRandomStories } from '../../hostile/random-stories';
import { play, stories } from './stories';

testRandomStories({
  title: 'every promise is kept after a sale',
  seed: 20261121,
  stories: stories(),
  play,
});
