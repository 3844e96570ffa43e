# A roofline with its data. Draw it again: gnuplot roofline_reduce_sum.gp
if (!exists("svg")) svg = "roofline_reduce_sum.svg"
if (!exists("png")) png = "roofline_reduce_sum.png"
set encoding utf8
$points << EOD
0.266901 1.44133e+10
0.267682 1.25915e+11
0.267878 5.05442e+11
0.267911 6.82876e+11
0.267943 6.59489e+11
0.498054 1.50615e+10
0.499512 1.56285e+11
0.499878 7.41151e+11
0.499939 1.1734e+12
0.533802 1.46516e+10
0.535364 1.56497e+11
0.535756 7.34984e+11
0.535821 1.17665e+12
0.535887 1.09607e+12
0.535821 1.55115e+11
0.535625 6.85991e+11
0.535886 4.01159e+11
0.286057 1.5569e+10
0.286894 1.64138e+11
0.287104 6.09263e+11
0.28714 7.22127e+11
0.287175 6.57354e+11
0.572114 1.61621e+10
0.573789 1.97268e+11
0.574209 1.02851e+12
0.574279 1.33173e+12
0.613177 1.61725e+10
0.614972 2.01246e+11
0.615422 1.02117e+12
0.615497 1.34712e+12
0.615572 1.21869e+12
0.615497 9.45625e+11
0.615272 1.35483e+12
0.615572 9.83709e+11
0.306588 1.14597e+10
0.307486 1.0748e+11
0.307711 4.2135e+11
0.307749 6.58494e+11
0.307786 6.43704e+11
0.657187 1.27513e+10
0.65911 1.40206e+11
0.659593 7.30595e+11
0.659673 1.06389e+12
0.704355 1.26082e+10
0.706417 1.39356e+11
0.706934 7.29435e+11
0.70702 1.0611e+12
0.707107 1.09508e+12
0.70702 7.31077e+11
0.706762 1.1329e+12
0.707106 9.30409e+11
0.202273 2.65294e+09
0.202865 1.14163e+10
0.203014 4.86944e+10
0.203038 1.00686e+11
0.352178 3.08142e+09
0.353208 1.419e+10
0.353467 5.92697e+10
0.35351 1.20777e+11
0.216791 1.38514e+10
0.217425 1.52333e+11
0.217585 4.96477e+11
0.217611 6.75939e+11
0.377455 1.41113e+10
0.378559 1.6839e+11
0.378837 7.01638e+11
0.378883 1.10238e+12
0.232351 1.39982e+10
0.233031 1.50822e+11
0.233201 4.71591e+11
0.23323 6.59104e+11
0.404546 1.57668e+10
0.40573 1.80723e+11
0.406027 8.37614e+11
0.406077 1.15945e+12
0.249027 1.57266e+10
0.249756 1.63256e+11
0.249939 6.04938e+11
0.249969 7.22039e+11
0.25 6.41248e+11
0.433582 1.66184e+10
0.434851 1.98494e+11
0.435169 1.01419e+12
0.435222 1.3495e+12
0.464701 1.62865e+10
0.466061 1.99978e+11
0.466403 1.00052e+12
0.46646 1.35466e+12
0.466516 1.19248e+12
0.46646 9.84098e+11
0.466289 1.33706e+12
0.466516 1.22682e+12
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.188727 7.76144e+11
0.328593 7.76144e+11


0.328593 1.55229e+12
0.754909 1.55229e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+09:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of reduce_sum: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0221118, 2.22283e+11 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0244782, 5.61271e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0221118, 8.65512e+10 left rotate by 26.8 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.73237e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 8 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::45-1::45-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.93 linewidth 1.8 notitle, \
  $points every ::46-1::46-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.06 linewidth 1.8 notitle, \
  $points every ::47-1::47-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.19 linewidth 1.8 notitle, \
  $points every ::48-1::48-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.31 linewidth 1.8 notitle, \
  $points every ::49-1::49-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.44 linewidth 1.8 notitle, \
  $points every ::50-1::50-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.57 linewidth 1.8 notitle, \
  $points every ::51-1::51-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::52-1::52-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.93 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.06 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.19 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.31 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.44 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.57 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cub', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.93 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.06 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.19 linewidth 1.6 title 'xlarge', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.31 linewidth 1.6 title 'one_row', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.44 linewidth 1.6 title 'bias_gradient', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.57 linewidth 1.6 title 'rows_32k', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'long_rows'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
