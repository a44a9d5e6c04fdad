//! Actors of one definition are alike: what they are called makes no difference.

use std::collections::BTreeMap;
use std::sync::Arc;

use borges_multiverse::fingerprint::Fingerprint;

use super::birth::ActorId;
use super::code::SiteId;
use super::language::AmbientTalk;
use super::state::{Actor, State};
use super::value::{Entity, Future, Message, Value};

/// The most ways to exchange actors that are looked at. Where there are more, the actors of the
/// largest groups keep their names.
const MOST: usize = 720;

/// What stands for all places in the source.
const NOWHERE: SiteId = SiteId(0);

/// New names for actors.
type Names = BTreeMap<ActorId, ActorId>;

impl AmbientTalk {
    /// A state that is the same for all states which differ only in the names of actors of one
    /// definition: those that no other actor has created further actors from, in every order.
    ///
    /// It need not be a state of the program: it does not say from where in the source messages were
    /// sent, nor what actors that will never act again know of those that are alike.
    pub(crate) fn least(&self, state: &State) -> State {
        let groups = groups(state);
        let state = forgetful(state, &groups);
        let ways = ways(&groups);
        let turned = ways.iter().map(|names| self.renamed(&state, names));
        let least = turned.min_by_key(Fingerprint::of);
        least.unwrap_or(state)
    }

    fn renamed(&self, state: &State, names: &Names) -> State {
        let mut actors: Vec<_> = state
            .actors
            .iter()
            .map(|actor| {
                let mut actor = turned(actor, names);
                self.program.seal(&mut actor);
                Arc::new(actor)
            })
            .collect();
        actors.sort_by_key(|actor| actor.id);
        let mut channels = state.channels.to_vec();
        for channel in channels.iter_mut().map(Arc::make_mut) {
            channel.from = name(channel.from, names);
            channel.to = name(channel.to, names);
            for (_, message) in &mut channel.messages {
                turn_message(Arc::make_mut(message), names);
            }
        }
        channels.sort_by_key(|channel| (channel.from, channel.to));
        State {
            actors: actors.into(),
            channels: channels.into(),
        }
    }
}

/// The actors by the definition of their own object, where several have one and none has children.
fn groups(state: &State) -> Vec<Vec<ActorId>> {
    let mut groups: BTreeMap<_, Vec<ActorId>> = BTreeMap::new();
    for actor in &state.actors {
        if actor.children == 0
            && let Some(own) = actor.object(0)
        {
            groups.entry(own.template.0).or_default().push(actor.id);
        }
    }
    let several = groups.into_values().filter(|group| group.len() > 1);
    several.collect()
}

/// All ways to exchange the actors within their groups; the smallest groups first, as long as there
/// are no more ways than [`MOST`].
fn ways(groups: &[Vec<ActorId>]) -> Vec<Names> {
    let mut groups: Vec<_> = groups.iter().collect();
    groups.sort_by_key(|group| group.len());
    let mut ways = vec![Names::new()];
    for group in groups {
        let mut orders = vec![Vec::new()];
        for place in 0..group.len() {
            let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
                let free = (0..group.len()).filter(|n| !order.contains(n));
                free.map(|n| [&order[..], &[n]].concat()).collect()
            };
            orders = orders.iter().flat_map(longer).collect();
            // Before the orders of a large group take all memory.
            if orders.len() * ways.len() > MOST && place + 1 < group.len() {
                return ways;
            }
        }
        if orders.len() * ways.len() > MOST {
            return ways;
        }
        let both = |names: &Names| -> Vec<Names> {
            let orders = orders.iter().map(|order| {
                let pairs = order.iter().zip(group).map(|(n, to)| (group[*n], *to));
                names.clone().into_iter().chain(pairs).collect()
            });
            orders.collect()
        };
        ways = ways.iter().flat_map(both).collect();
    }
    ways
}

/// The state in which actors that have nothing to do, and that nobody who has can reach, know nothing
/// of those in groups: they would tell them apart, but not to anybody.
fn forgetful(state: &State, groups: &[Vec<ActorId>]) -> State {
    let mut reached: Vec<ActorId> = Vec::new();
    let acts = |actor: &&Arc<Actor>| !actor.is_idle() || !actor.inbox.is_empty();
    let acting = state.actors.iter().filter(acts);
    let mut todo: Vec<ActorId> = acting.map(|actor| actor.id).collect();
    for channel in &state.channels {
        let messages = channel.messages.iter().flat_map(|(_, m)| m.values());
        todo.extend(messages.filter_map(Value::actor).chain([channel.to]));
    }
    while let Some(id) = todo.pop() {
        if reached.contains(&id) {
            continue;
        }
        reached.push(id);
        if let Some(actor) = state.actor(id) {
            todo.extend(known(actor).filter_map(Value::actor));
        }
    }
    let mut state = state.clone();
    let gone = state.actors.iter_mut();
    for actor in gone.filter(|actor| !reached.contains(&actor.id)) {
        let mut forgets = (**actor).clone();
        for slot in forgets.heap.iter_mut().flatten() {
            if let Entity::Object(object) = Arc::make_mut(&mut slot.entity) {
                for value in &mut object.slots {
                    let known = value.actor();
                    if known.is_some_and(|known| groups.iter().flatten().any(|id| *id == known)) {
                        *value = Value::Null;
                    }
                }
            }
        }
        *actor = Arc::new(forgets);
    }
    state
}

/// All values that an actor has.
fn known(actor: &Actor) -> impl Iterator<Item = Value> + '_ {
    let slots = actor.heap.iter().flatten();
    let entities = slots.flat_map(|slot| slot.entity.values());
    let messages = actor.inbox.iter().chain(&actor.outbox);
    let messages = messages.flat_map(|message| message.values());
    let frames = actor.frames.iter().flat_map(|frame| &frame.values).copied();
    let turn = actor.turn.as_ref().and_then(|turn| turn.resolver);
    entities.chain(messages).chain(frames).chain(turn)
}

fn name(id: ActorId, names: &Names) -> ActorId {
    names.get(&id).copied().unwrap_or(id)
}

fn turn_values<'v>(values: impl IntoIterator<Item = &'v mut Value>, names: &Names) {
    for value in values {
        if let Value::Object(actor, _) | Value::Future(actor, _) | Value::Resolver(actor, _) = value
        {
            *actor = name(*actor, names);
        }
    }
}

fn turn_message(message: &mut Message, names: &Names) {
    message.site = NOWHERE;
    turn_values(message.values_mut(), names);
}

fn turned(actor: &Actor, names: &Names) -> Actor {
    let mut actor = actor.clone();
    actor.id = name(actor.id, names);
    for slot in actor.heap.iter_mut().flatten() {
        match Arc::make_mut(&mut slot.entity) {
            Entity::Object(object) => turn_values(&mut object.slots, names),
            Entity::Future(Future::Resolved(value)) => turn_values([value], names),
            Entity::Future(Future::Pending(queue)) => {
                queue.iter_mut().for_each(|m| turn_message(m, names));
            }
        }
    }
    for message in actor.inbox.iter_mut().chain(&mut actor.outbox) {
        turn_message(Arc::make_mut(message), names);
    }
    for frame in &mut actor.frames {
        turn_values(&mut frame.values, names);
    }
    if let Some(turn) = &mut actor.turn {
        turn.site = NOWHERE;
        turn_values(&mut turn.resolver, names);
    }
    actor
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six actors can be exchanged in 720 ways, seven in 5,040, which is too many; of several groups the smallest count.
    #[test]
    fn so_many_ways_to_exchange_actors_are_tried() {
        let count = |sizes: &[u32]| {
            let group = |size: &u32| {
                (0..*size)
                    .filter_map(|n| ActorId::MAIN.child(n))
                    .collect::<Vec<_>>()
            };
            ways(&sizes.iter().map(group).collect::<Vec<_>>()).len()
        };
        assert_eq!(count(&[6]), 720);
        assert_eq!(count(&[7]), 1);
        assert_eq!(count(&[5, 3]), 720);
        assert_eq!(count(&[5, 3, 2]), 12);
        assert_eq!(count(&[60]), 1);
    }
}
