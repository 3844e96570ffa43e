# A roofline with its data. Draw it again: gnuplot {{name}}.gp
if (!exists("svg")) svg = "{{name}}.svg"
if (!exists("png")) png = "{{name}}.png"
set encoding utf8
$points << EOD
{{#points}}
{{x}} {{y}}
{{/points}}
EOD
$lines << EOD
{{#lines}}
{{x0}} {{y0}}
{{x1}} {{y1}}


{{/lines}}
EOD
set lmargin at screen {{left}}
set rmargin at screen {{right}}
set bmargin at screen {{bottom}}
set tmargin at screen {{top}}
set logscale xy
set xrange [{{x0}}:{{x1}}]
set yrange [{{y0}}:{{y1}}]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 '{{title}}' at screen {{left}}, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '{{warning}}' at screen {{left}}, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 '{{note}}' at screen {{left}}, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
{{#labels}}
set label '{{text}}' at {{x}}, {{y}} {{align}} rotate by {{angle}} noenhanced textcolor rgb "#303030" font ",11" front{{#flat}} boxed{{/flat}}
{{/labels}}
set style textbox opaque noborder fillcolor rgb "white" margins 0.4,0.2
set key at screen 0.79, {{top}} top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle{{#lines}}, \
  $lines index {{index}}-1 with lines linecolor rgb "{{color}}" {{style}} notitle{{/lines}}{{#points}}, \
  $points every ::{{index}}-1::{{index}}-1 with points pointtype {{marker}} linecolor rgb "{{color}}" pointsize {{size}} linewidth {{width}} notitle{{/points}}{{#key}}, \
  NaN {{#head}}with lines linecolor rgb "white"{{/head}}{{^head}}with points pointtype {{marker}} linecolor rgb "{{color}}" pointsize {{size}} linewidth 1.6{{/head}} title '{{text}}'{{/key}}
set terminal pngcairo size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
