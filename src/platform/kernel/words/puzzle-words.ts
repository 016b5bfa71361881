/** One word of 3 to 9 letters for each value of a byte; all nodes of a network need the same list. */
export const PUZZLE_WORDS: readonly string[] = `
acorn alder alpine amber anchor anvil apple apricot arbor arch ash aspen aurora autumn badger
bamboo bark barley basalt basin bay beach beacon bear beaver beech beetle bell berry birch bison
blossom boulder bramble branch breeze briar bridge bronze brook burrow butter canyon cape
caravan carp cavern cedar chalk cherry chestnut cider cinder clay cliff clover coal coast cobalt
compass copper coral cork cotton cove coyote crane crater creek crest crow crystal current
cypress dale dawn deer delta desert dew dolphin dove drift dune dusk eagle earth echo egret elk
elm ember falcon farm feather fern field finch fir fire fjord flax flint flock flood flower fog
forest fossil fountain fox frost garden garnet geyser ginger glacier glade glass gold gorge
granite grape grass gravel grove gull gust hail harbor hare harvest hawk hazel heath heather
hedge heron hickory hill hollow honey horizon ice indigo inlet iris iron island ivory ivy jade
jasmine jay juniper kelp kestrel lagoon lake lantern larch lark laurel lava leaf ledge lichen
lily linden lotus lynx magnolia maple marble marsh meadow mesa meteor mist moon moor moss moth
mountain myrtle nectar nettle oak oasis ocean olive onyx orchard osprey otter owl pearl pebble
pepper pine plain plateau pollen pond poplar prairie quail quarry quartz rain raven reef ridge
river robin rock root rose rye saffron sage salmon sand sapphire seal shell shore silver sky
slate snow sparrow spring spruce star stone storm stream summit sunrise swan thicket thistle
thunder tide timber trail tundra valley violet walnut wave wheat willow wind winter
`
  .trim()
  .split(/\s/);
